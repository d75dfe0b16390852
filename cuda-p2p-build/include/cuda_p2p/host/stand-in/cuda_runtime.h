// Stands in for the toolkit's header of this name, which a .cu file may include though it needs only the kernel header.
#include "../../kernel.cuh"
