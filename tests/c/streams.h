/* The part of peer.c about streams and what is made by them: order, capture, pools. */
#ifndef STREAMS_H
#define STREAMS_H

#include "report.h"

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

#endif
