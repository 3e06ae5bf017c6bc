#include "torture.h"

#include <stddef.h>

const struct torture_case *const torture_scenarios[] = { NULL };
