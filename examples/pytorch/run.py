#!/usr/bin/env python3
"""Tensors of PyTorch on two GPUs: a kernel of cuda-p2p on cuda:0 reads a tensor on cuda:1, on PyTorch's current streams.

    run.py LIBRARY      libp2p_torch.so, built in this folder

Once for each way that PyTorch gets its memory, in a process each: which of it can be read, and what has to be done for that.
"""
import ctypes, os, subprocess, sys

MODES = {"cudaMalloc": "", "expandable segments": "expandable_segments:True", "cudaMallocAsync": "backend:cudaMallocAsync"}


class Tensor(ctypes.Structure):
    _fields_ = [("device", ctypes.c_int), ("address", ctypes.c_void_p), ("len", ctypes.c_size_t), ("stream", ctypes.c_void_p)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.p2p_free_text.argtypes = [ctypes.c_void_p]
        self.c.p2p_add.argtypes = [ctypes.POINTER(Tensor), ctypes.POINTER(Tensor), ctypes.c_bool]
        self.c.p2p_copy.argtypes = [ctypes.POINTER(Tensor), ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p)]
        self.c.p2p_add_dlpack.argtypes = [ctypes.c_void_p] * 4 + [ctypes.POINTER(ctypes.c_int * 2)]
        self.c.p2p_finish.argtypes = [ctypes.POINTER(ctypes.c_size_t)]
        for function in (self.c.p2p_add, self.c.p2p_copy, self.c.p2p_add_dlpack, self.c.p2p_finish):
            function.restype = ctypes.c_void_p

    def text(self, pointer):
        """The text behind a pointer, which is freed; None for null."""
        if not pointer:
            return None
        text = ctypes.string_at(pointer).decode()
        self.c.p2p_free_text(pointer)
        return text

    def add(self, y, x, grant=False):
        return self.text(self.c.p2p_add(described(y), described(x), grant))

    def copy(self, y, x):
        path = ctypes.c_void_p()
        error = self.text(self.c.p2p_copy(described(y), described(x), ctypes.byref(path)))
        return error or self.text(path.value)

    def add_dlpack(self, y, x):
        devices = (ctypes.c_int * 2)(y.device.index, x.device.index)
        # Legacy and versioned: a capsule is emptied by giving it another name.
        ours = taken(torch.utils.dlpack.to_dlpack(y), b"dltensor", b"used_dltensor")
        with torch.cuda.device(x.device):  # PyTorch exports tensors of the current device alone.
            theirs = x.__dlpack__(stream=-1, max_version=(1, 0))
        theirs = taken(theirs, b"dltensor_versioned", b"used_dltensor_versioned")
        return self.text(self.c.p2p_add_dlpack(ours, current(y), theirs, current(x), devices))

    def finish(self):
        deferred = ctypes.c_size_t()
        error = self.text(self.c.p2p_finish(ctypes.byref(deferred)))
        assert error is None and deferred.value == 0, (error, deferred.value)


def current(tensor):
    return torch.cuda.current_stream(tensor.device).cuda_stream


def described(tensor):
    assert tensor.is_contiguous() and tensor.dtype == torch.float32
    return Tensor(tensor.device.index, tensor.data_ptr(), tensor.numel(), current(tensor))


def taken(capsule, name, used):
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer = api.PyCapsule_GetPointer(capsule, name)
    api.PyCapsule_SetName(capsule, NAMES.setdefault(used, ctypes.create_string_buffer(used)))
    return pointer


NAMES = {}  # A capsule points at its name.


def exact(what, holds):
    print(f"  {'exact:' if holds else 'WRONG:'} {what}")
    if not holds:
        sys.exit(1)


def work(library, mode):
    n = 1_000_003
    x = torch.arange(n, dtype=torch.float32, device="cuda:1")
    y = torch.full((n,), 0.5, device="cuda:0")
    expected = y + 4 * x.cpu().to("cuda:0")
    torch.cuda.synchronize(0), torch.cuda.synchronize(1)

    z = torch.zeros(n, device="cuda:0")
    print(f"  copied: {library.copy(z, x)}")
    exact("the copy", torch.equal(z.cpu(), x.cpu()))

    refused = library.add(y, x)
    if refused:
        print(f"  refused: {refused}")
        if mode == "cudaMallocAsync":
            refused = library.add(y, x, grant=True)
        else:
            # When PyTorch itself first copies between two devices, it opens its segments to the other one.
            z.copy_(x)
            refused = library.add(y, x)
        print(f"  then: {refused or 'accepted'}")
        if refused and mode == "expandable segments":
            print("  skipped: this PyTorch keeps its segments to their own device")
            return
        if refused:
            sys.exit(1)
    # On streams of PyTorch's that are not the default ones, without a word of waiting.
    first, second = torch.cuda.Stream(0), torch.cuda.Stream(1)
    first.wait_stream(torch.cuda.current_stream(0)), second.wait_stream(torch.cuda.current_stream(1))
    with torch.cuda.stream(first), torch.cuda.stream(second):
        for round in range(3):
            x2 = x * 1.0
            error = library.add(y, x2)
            assert error is None, error
            del x2  # Its memory is used again at once.
            torch.full((n,), -1.0, device="cuda:1")
    torch.cuda.synchronize(0), torch.cuda.synchronize(1)
    exact("a kernel on cuda:0 reads PyTorch's memory on cuda:1", torch.equal(y, expected))

    before = torch.cuda.memory_allocated(1)
    x3 = torch.full((n,), 2.0, device="cuda:1")
    with_it = torch.cuda.memory_allocated(1)
    y.zero_()
    error = library.add_dlpack(y, x3)
    assert error is None, error
    del x3
    exact("the same by DLPack", torch.equal(y.cpu(), torch.full((n,), 2.0)))
    library.finish()
    exact("DLPack's memory is given back", torch.cuda.memory_allocated(1) == before < with_it)
    half = torch.zeros(8, dtype=torch.float16, device="cuda:1")
    print(f"  refused: {library.add_dlpack(y, half)}")
    print(f"  refused: {library.add_dlpack(y, torch.zeros(4, 4, device='cuda:1').t())}")
    library.finish()


if len(sys.argv) == 2:
    lines, failed = [], 0
    for mode, setting in MODES.items():
        print(f"{mode}:", flush=True)
        environment = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": setting}
        child = subprocess.run([sys.executable, __file__, sys.argv[1], mode], env=environment, stdout=subprocess.PIPE, text=True)
        print(child.stdout, end="")
        lines += child.stdout.splitlines()
        failed += child.returncode != 0
    passed, skipped = (sum(line.startswith(f"  {word}:") for line in lines) for word in ("exact", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed)
elif len(sys.argv) == 3:
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None or torch.cuda.device_count() < 2:
        print("  skipped: needs PyTorch and two GPUs")
    else:
        work(Library(os.path.abspath(sys.argv[1])), sys.argv[2])
else:
    sys.exit(__doc__)
