#include "core/interrupt.h"

volatile sig_atomic_t core_interrupt_flag = 0;
