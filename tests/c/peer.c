/* Peer access in C, as NVIDIA's simpleP2P does it but without a kernel: queries, enabling, copies, order, pools, capture, and
 * the errors of each. Prints a line for every call, with the name of its status and what it gave back, and nothing that
 * differs from machine to machine or from run to run: no address, no time, no name of a device.
 *
 * Linked against the shared runtime; needs two devices that are peers. The exit code is 0 if the bytes of every copy were
 * right, whatever the calls answered: what they should answer is in peer.expected.txt.
 */
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

static void order(char *d0, char *d1)
{
    cudaStream_t s0, s1;
    cudaEvent_t begin, end, e1;
    float milliseconds = -1;
    SECTION("streams and events");
    CALL(cudaStreamCreateWithFlags(&s0, 7));
    CALL(cudaStreamCreate(NULL));
    CALL(cudaStreamCreateWithFlags(&s0, cudaStreamNonBlocking));
    CALL(cudaEventCreate(&begin));
    CALL(cudaEventCreate(&end));
    CALL(cudaEventCreateWithFlags(&e1, cudaEventInterprocess));
    CALL(cudaSetDevice(1));
    CALL(cudaStreamCreate(&s1));
    CALL(cudaEventCreateWithFlags(&e1, cudaEventDisableTiming));
    CALL(cudaSetDevice(0));
    CALL(cudaEventElapsedTime(&milliseconds, begin, end));

    pattern(6);
    CALL(cudaMemcpy(d0, host, BYTES, cudaMemcpyHostToDevice));
    CALL(cudaEventRecord(begin, s0));
    CALL(cudaMemcpyPeerAsync(d1, 1, d0, 0, BYTES, s0));
    CALL(cudaEventRecord(end, s0));
    CALL(cudaEventRecord(end, s1));
    CALL(cudaStreamWaitEvent(s1, end, 0));
    CALL(cudaStreamWaitEvent(s1, end, 7));
    CALL(cudaMemcpyAsync(d0, d1, BYTES, cudaMemcpyDefault, s1));
    CALL(cudaEventRecord(e1, s1));
    CALL(cudaEventSynchronize(e1));
    compare("there by a stream of device 0", d1, BYTES);
    compare("and back by one of device 1", d0, BYTES);
    CALL(cudaEventQuery(end));
    CALL(cudaStreamQuery(s0));
    CALL(cudaStreamQuery(s1));
    CALL(cudaEventElapsedTime(&milliseconds, begin, end));
    GAVE("not negative: %s", milliseconds >= 0 ? "yes" : "no");
    CALL(cudaEventElapsedTime(&milliseconds, begin, e1));
    CALL(cudaMemcpyPeerAsync(d1, 1, d0, 0, BYTES + 1, s0));
    CALL(cudaEventQuery(NULL));
    CALL(cudaEventDestroy(NULL));
    CALL(cudaStreamDestroy(NULL));
    CALL(cudaGetLastError());
    unsigned flags = 9;
    CALL(cudaStreamGetFlags(s0, &flags));
    GAVE("flags %u", flags);
    int device = -1;
    CALL(cudaStreamGetDevice(s1, &device));
    GAVE("device %d", device);
    CALL(cudaEventDestroy(begin));
    CALL(cudaEventDestroy(end));
    CALL(cudaEventDestroy(e1));
    CALL(cudaStreamDestroy(s0));
    CALL(cudaStreamDestroy(s1));
    CALL(cudaDeviceDisablePeerAccess(1));
}

static void capture(char *d0, char *d1)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    size_t nodes = 0;
    int can = -1;
    SECTION("capture");
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamEndCapture(stream, &graph));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaMemcpyPeerAsync(d1, 1, d0, 0, 64, stream));
    CALL(cudaStreamIsCapturing(stream, &status));
    GAVE("status %d", (int)status);
    CALL(cudaStreamEndCapture(stream, &graph));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaDeviceEnablePeerAccess(1, 0));
    CALL(cudaStreamEndCapture(stream, &graph));
    CALL(cudaGetLastError());
    CALL(cudaDeviceDisablePeerAccess(1));

    memset(host, 0x33, BYTES);
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaDeviceCanAccessPeer(&can, 0, 1));
    CALL(cudaMemsetAsync(d0, 0x33, BYTES, stream));
    CALL(cudaStreamEndCapture(stream, &graph));
    CALL(cudaGraphGetNodes(graph, NULL, &nodes));
    GAVE("nodes %zu", nodes);
    CALL(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CALL(cudaGraphLaunch(NULL, stream));
    CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaStreamSynchronize(stream));
    compare("set by a graph", d0, BYTES);
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(graph));
    CALL(cudaStreamDestroy(stream));
    CALL(cudaGetLastError());
}

static void pools(char *d1)
{
    cudaMemPool_t pool;
    enum cudaMemAccessFlags flags;
    struct cudaMemLocation own = {cudaMemLocationTypeDevice, 0}, peer = {cudaMemLocationTypeDevice, 1};
    struct cudaMemAccessDesc grant = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
    void *memory = NULL;
    SECTION("pools");
    CALL(cudaDeviceGetDefaultMemPool(&pool, 99));
    CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
    CALL(cudaMemPoolGetAccess(&flags, pool, &own));
    GAVE("access %d", (int)flags);
    CALL(cudaMemPoolGetAccess(&flags, pool, &peer));
    GAVE("access %d", (int)flags);
    CALL(cudaMemPoolSetAccess(pool, &grant, 1));
    CALL(cudaMemPoolGetAccess(&flags, pool, &peer));
    GAVE("access %d", (int)flags);
    pattern(7);
    CALL(cudaMallocAsync(&memory, BYTES, NULL));
    CALL(cudaMemcpyAsync(memory, host, BYTES, cudaMemcpyHostToDevice, NULL));
    CALL(cudaStreamSynchronize(NULL));
    CALL(cudaMemcpyPeer(d1, 1, memory, 0, BYTES));
    compare("from a pool to the peer", d1, BYTES);
    CALL(cudaFreeAsync(memory, NULL));
    CALL(cudaStreamSynchronize(NULL));
    grant.flags = cudaMemAccessFlagsProtNone;
    CALL(cudaMemPoolSetAccess(pool, &grant, 1));
    CALL(cudaMemPoolGetAccess(&flags, pool, &peer));
    GAVE("access %d", (int)flags);
    grant.flags = cudaMemAccessFlagsProtReadWrite;
    grant.location.id = 99;
    CALL(cudaMemPoolSetAccess(pool, &grant, 1));
    CALL(cudaGetLastError());
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
