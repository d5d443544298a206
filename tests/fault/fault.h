/* What the parts of fault.so share: which calls fail (fault_calls.c), and when (fault.c). */
#ifndef FAULT_H
#define FAULT_H

typedef enum fault_kind { FAULT_ALLOC, FAULT_IO } fault_kind;
typedef enum fault_mode {
  FAULT_ONCE,  /* the n-th call fails */
  FAULT_ON,    /* and all after it */
  FAULT_SHORT, /* the n-th reads or writes less than it was asked for */
  FAULT_AGAIN  /* the n-th is interrupted by a signal */
} fault_mode;

extern fault_kind fault_which;
extern fault_mode fault_how;

/* counts a call of this kind; 1 when it is to fail */
int fault_now(fault_kind kind);

#endif
