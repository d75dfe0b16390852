/* What peer.c prints, and the bytes that it copies. */
#ifndef REPORT_H
#define REPORT_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#define BYTES (1 << 20)

static int wrong_bytes;

/* Makes the call, and prints it as it is written here. */
#define CALL(call) printf("%s -> %s\n", #call, cudaGetErrorName(call))
/* Prints what a call gave back. */
#define GAVE(format, ...) printf("    " format "\n", __VA_ARGS__)
#define SECTION(name) printf("\n== %s\n", name)

static unsigned char host[BYTES], back[BYTES];

/* Bytes that differ by place and by `seed`. */
static void pattern(unsigned seed)
{
    for (size_t i = 0; i < BYTES; i++)
        host[i] = (unsigned char)((i * 2654435761u + seed * 40503u) >> 13);
}

/* Whether `memory` has the first `bytes` of the pattern. */
static void compare(const char *what, const void *memory, size_t bytes)
{
    memset(back, 0xEE, sizeof back);
    CALL(cudaMemcpy(back, memory, bytes, cudaMemcpyDeviceToHost));
    int same = memcmp(back, host, bytes) == 0;
    wrong_bytes |= !same;
    GAVE("%s: %s", what, same ? "every byte is right" : "WRONG BYTES");
}

#endif
