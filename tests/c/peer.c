/* Peer access in C, as NVIDIA's simpleP2P does it but without a kernel: queries, enabling, copies, order, pools, capture, and
 * the errors of each. Prints a line for every call, with the name of its status and what it gave back, and nothing that
 * differs from machine to machine or from run to run: no address, no time, no name of a device.
 *
 * Linked against the shared runtime; needs two devices that are peers. The exit code is 0 if the bytes of every copy were
 * right, whatever the calls answered: what they should answer is in peer.expected.txt.
 */
#include "report.h"
#include "streams.h"

static void devices(void)
{
    int value = -1;
    SECTION("devices");
    CALL(cudaRuntimeGetVersion(&value));
    GAVE("major %d", value / 1000);
    CALL(cudaDriverGetVersion(&value));
    CALL(cudaGetDeviceCount(&value));
    GAVE("at least two: %s", value >= 2 ? "yes" : "no");
    CALL(cudaGetDevice(&value));
    GAVE("device %d", value);
    CALL(cudaSetDevice(99));
    CALL(cudaGetLastError());
    CALL(cudaSetDevice(1));
    CALL(cudaGetDevice(&value));
    GAVE("device %d", value);
    CALL(cudaSetDevice(0));
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrUnifiedAddressing, 1));
    GAVE("unified addressing %d", value);
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    CALL(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0));
    CALL(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    struct cudaDeviceProp properties;
    CALL(cudaGetDeviceProperties(&properties, 1));
    GAVE("unified addressing %d, warp size %d", properties.unifiedAddressing, properties.warpSize);
    CALL(cudaGetDeviceProperties(&properties, 99));
    char bus[32];
    CALL(cudaDeviceGetPCIBusId(bus, sizeof bus, 1));
    CALL(cudaDeviceGetByPCIBusId(&value, bus));
    GAVE("device %d", value);
    CALL(cudaDeviceGetByPCIBusId(&value, "junk"));
    CALL(cudaGetLastError());
}

static void queries(void)
{
    int can = -1;
    SECTION("queries");
    CALL(cudaDeviceCanAccessPeer(&can, 0, 1));
    GAVE("can %d", can);
    CALL(cudaDeviceCanAccessPeer(&can, 1, 0));
    GAVE("can %d", can);
    CALL(cudaDeviceCanAccessPeer(&can, 0, 0));
    GAVE("can %d", can);
    CALL(cudaDeviceCanAccessPeer(&can, 0, 99));
    CALL(cudaDeviceCanAccessPeer(&can, -1, 0));
    CALL(cudaGetLastError());
    CALL(cudaDeviceCanAccessPeer(NULL, 0, 1));
    CALL(cudaPeekAtLastError());
    CALL(cudaGetLastError());
    CALL(cudaGetLastError());
    int value = -1;
    CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
    GAVE("access supported %d", value);
    CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 99));
    CALL(cudaDeviceGetP2PAttribute(&value, (enum cudaDeviceP2PAttr)99, 0, 1));
    CALL(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1));
    CALL(cudaGetLastError());
}

static void enabling(void)
{
    SECTION("enabling");
    CALL(cudaDeviceDisablePeerAccess(1));
    CALL(cudaDeviceEnablePeerAccess(0, 0));
    CALL(cudaDeviceEnablePeerAccess(1, 1));
    CALL(cudaDeviceEnablePeerAccess(0, 1));
    CALL(cudaDeviceEnablePeerAccess(99, 1));
    CALL(cudaDeviceEnablePeerAccess(-1, 0));
    CALL(cudaGetLastError());
    CALL(cudaDeviceEnablePeerAccess(1, 0));
    CALL(cudaDeviceEnablePeerAccess(1, 0));
    CALL(cudaGetLastError());
    CALL(cudaDeviceEnablePeerAccess(1, 1));
    CALL(cudaDeviceDisablePeerAccess(1));
    CALL(cudaDeviceDisablePeerAccess(1));
    CALL(cudaDeviceDisablePeerAccess(0));
    CALL(cudaDeviceDisablePeerAccess(99));
    CALL(cudaGetLastError());
    puts(cudaGetErrorString(cudaErrorPeerAccessAlreadyEnabled));
    puts(cudaGetErrorString(cudaErrorPeerAccessNotEnabled));
    puts(cudaGetErrorString((cudaError_t)12345));
}

static void pointers(void *d0, void *d1, void *pinned)
{
    struct cudaPointerAttributes at;
    SECTION("pointers");
    CALL(cudaPointerGetAttributes(&at, (char *)d0 + 64));
    GAVE("type %d, device %d", (int)at.type, at.device);
    CALL(cudaPointerGetAttributes(&at, d1));
    GAVE("type %d, device %d", (int)at.type, at.device);
    CALL(cudaPointerGetAttributes(&at, pinned));
    GAVE("type %d, device %d", (int)at.type, at.device);
    CALL(cudaPointerGetAttributes(&at, host));
    GAVE("type %d, device %d", (int)at.type, at.device);
    CALL(cudaPointerGetAttributes(NULL, d0));
    CALL(cudaGetLastError());
}

static void copies(char *d0, char *d1, void *pinned)
{
    SECTION("copies");
    pattern(1);
    CALL(cudaMemcpy(d0, host, BYTES, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyPeer(d1, 1, d0, 0, BYTES));
    compare("peer copy, access not enabled", d1, BYTES);

    CALL(cudaDeviceEnablePeerAccess(1, 0));
    pattern(2);
    CALL(cudaMemcpy(d0, host, BYTES, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyPeer(d1, 1, d0, 0, BYTES));
    compare("peer copy, access enabled", d1, BYTES);
    pattern(3);
    CALL(cudaMemcpy(d0, host, BYTES, cudaMemcpyDefault));
    CALL(cudaMemcpy(d1, d0, BYTES - 3, cudaMemcpyDefault));
    compare("default copy of an odd length", d1, BYTES - 3);
    pattern(4);
    CALL(cudaMemcpy(d0, host, BYTES, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(d1, d0, BYTES, cudaMemcpyDeviceToDevice));
    compare("device to device", d1, BYTES);
    pattern(5);
    CALL(cudaMemcpy(d0, host, BYTES, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyPeer(d1, 0, d0, 1, BYTES));
    compare("with the wrong devices named", d1, BYTES);
    CALL(cudaMemcpyPeer(pinned, 1, d0, 0, BYTES));
    CALL(cudaDeviceSynchronize());
    GAVE("pinned memory: %s", memcmp(pinned, host, BYTES) == 0 ? "every byte is right" : "WRONG BYTES");

    CALL(cudaMemcpyPeer(d1, 1, d0, 0, BYTES + 1));
    CALL(cudaMemcpyPeer(d1, 99, d0, 0, 16));
    CALL(cudaMemcpyPeer(d1, -1, d0, 0, 16));
    CALL(cudaMemcpyPeer(d1, 99, d0, 0, 0));
    CALL(cudaMemcpyPeer(NULL, 1, d0, 0, 16));
    CALL(cudaMemcpyPeer(NULL, 1, NULL, 0, 0));
    CALL(cudaMemcpyPeer(host, 1, d0, 0, 16));
    CALL(cudaMemcpy(d1, d0, 16, (enum cudaMemcpyKind)7));
    CALL(cudaMemcpy(host, host + 64, 16, cudaMemcpyDeviceToDevice));
    CALL(cudaMemset(d1, 0, BYTES + 1));
    CALL(cudaMemcpy2D(d1, 16, d0, 64, 32, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaGetLastError());

    memset(host, 0x5A, BYTES);
    CALL(cudaMemset(d1, 0x5A, BYTES));
    compare("set on the peer while device 0 is current", d1, BYTES);
    CALL(cudaDeviceSynchronize());
}

int main(void)
{
    char *d0 = NULL, *d1 = NULL;
    void *pinned = NULL, *nothing = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    devices();
    queries();
    enabling();

    SECTION("memory");
    CALL(cudaMalloc((void **)&d0, BYTES));
    CALL(cudaMalloc(NULL, 16));
    CALL(cudaMalloc(&nothing, 0));
    CALL(cudaMalloc(&nothing, 1ull << 50));
    CALL(cudaMallocHost(&pinned, BYTES));
    CALL(cudaSetDevice(1));
    CALL(cudaMalloc((void **)&d1, BYTES));
    CALL(cudaSetDevice(0));
    CALL(cudaFree(d0 + 256));
    CALL(cudaFree(host));
    CALL(cudaFree(pinned));
    CALL(cudaFreeHost(d0));
    CALL(cudaFree(NULL));
    CALL(cudaGetLastError());

    pointers(d0, d1, pinned);
    copies(d0, d1, pinned);
    order(d0, d1);
    capture(d0, d1);
    pools(d1);

    SECTION("the end");
    CALL(cudaDeviceDisablePeerAccess(1));
    CALL(cudaFree(d1));
    CALL(cudaFree(d1));
    CALL(cudaFree(d0));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFreeHost(pinned));
    CALL(cudaGetLastError());
    CALL(cudaDeviceReset());
    CALL(cudaDeviceDisablePeerAccess(1));
    CALL(cudaSetDevice(1));
    CALL(cudaDeviceReset());
    CALL(cudaGetLastError());
    return wrong_bytes;
}
