#include "core/interrupt.h"

volatile sig_atomic_t core_interrupt_flag = 0;
volatile sig_atomic_t core_interrupt_listening = 0;
