// The calls that are probed.
#include "probes.h"

#include <cuda_profiler_api.h>

static void ready(Scene &) {}
static void with_memory(Scene &scene) { cudaMalloc(&scene.address, 4096); }
static void with_host_memory(Scene &scene) { cudaHostAlloc(&scene.host_address, 4096, 0); }
static void with_managed_memory(Scene &scene) { cudaMallocManaged(&scene.managed, 4096, cudaMemAttachGlobal); }
static void with_registered(Scene &) { cudaHostRegister(probe_memory.pageable, 4096, 0); }
static void with_module(Scene &scene) { cuModuleLoadData(&scene.module, KERNEL_SOURCE); }
static void with_async_memory(Scene &scene) {
  cudaMallocAsync(&scene.address, 4096, scene.other_non_blocking);
  cudaStreamSynchronize(scene.other_non_blocking);
}

static CUmemAllocationProp physical_properties() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return properties;
}
static void with_reserved(Scene &scene) {
  CUmemAllocationProp properties = physical_properties();
  cuMemAddressReserve(&scene.reserved, 2 << 20, 0, 0, 0);
  cuMemCreate(&scene.physical, 2 << 20, &properties, 0);
}
static void with_mapped(Scene &scene) {
  with_reserved(scene);
  cuMemMap(scene.reserved, 2 << 20, 0, scene.physical, 0);
}
static void with_pool(Scene &scene) {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPoolCreate(&scene.pool, &properties);
}

static CUdeviceptr number(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

static int unregister_after(int code) {
  if (code == 0) {
    Exchanged relaxed(cudaStreamCaptureModeRelaxed);
    cudaHostUnregister(probe_memory.pageable);
  }
  return code;
}

#define CALL(...) [](Scene & s)->int { (void)s; __VA_ARGS__; }

const std::vector<PlainCall> PLAIN_CALLS = {
    {"cudaMalloc", ready, CALL(void *p; return cudaMalloc(&p, 4096))},
    {"cudaMalloc(0)", ready, CALL(void *p; return cudaMalloc(&p, 0))},
    {"cudaFree", with_memory, CALL(return cudaFree(s.address))},
    {"cudaFree(0)", ready, CALL(return cudaFree(nullptr))},
    {"cudaFree(async memory)", with_async_memory, CALL(return cudaFree(s.address))},
    {"cudaHostAlloc", ready, CALL(void *p; return cudaHostAlloc(&p, 4096, 0))},
    {"cudaMallocHost", ready, CALL(void *p; return cudaMallocHost(&p, 4096))},
    {"cudaFreeHost", with_host_memory, CALL(return cudaFreeHost(s.host_address))},
    {"cudaMallocManaged", ready, CALL(void *p; return cudaMallocManaged(&p, 4096, cudaMemAttachGlobal))},
    {"cudaMallocPitch", ready, CALL(void *p; size_t pitch; return cudaMallocPitch(&p, &pitch, 64, 4))},
    {"cudaMallocArray", ready, CALL(cudaArray_t a; cudaChannelFormatDesc d = {32, 0, 0, 0, cudaChannelFormatKindFloat}; return cudaMallocArray(&a, &d, 64, 64, 0))},
    {"cudaHostRegister", ready, CALL(return unregister_after(cudaHostRegister(probe_memory.pageable, 4096, 0)))},
    {"cudaHostUnregister", with_registered, CALL(int code = cudaHostUnregister(probe_memory.pageable); if (code) unregister_after(0); return code)},
    {"cudaMemGetInfo", ready, CALL(size_t a; size_t b; return cudaMemGetInfo(&a, &b))},
    {"cudaPointerGetAttributes", ready, CALL(cudaPointerAttributes a; return cudaPointerGetAttributes(&a, probe_memory.device))},
    {"cudaGetDeviceProperties", ready, CALL(static cudaDeviceProp p; return cudaGetDeviceProperties(&p, 0))},
    {"cudaDeviceGetAttribute", ready, CALL(int v; return cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0))},
    {"cudaSetDevice", ready, CALL(return cudaSetDevice(0))},
    {"cudaDeviceSynchronize", ready, CALL(return cudaDeviceSynchronize())},
    {"cudaDeviceGetLimit", ready, CALL(size_t v; return cudaDeviceGetLimit(&v, cudaLimitStackSize))},
    {"cudaDeviceSetLimit", ready, CALL(return cudaDeviceSetLimit(cudaLimitStackSize, 2048))},
    {"cudaDeviceGetStreamPriorityRange", ready, CALL(int a; int b; return cudaDeviceGetStreamPriorityRange(&a, &b))},
    {"cudaMemcpy_h2d", ready, CALL(return cudaMemcpy(probe_memory.device, probe_memory.pageable, 64, cudaMemcpyHostToDevice))},
    {"cudaMemcpy_d2h", ready, CALL(return cudaMemcpy(probe_memory.pageable, probe_memory.device, 64, cudaMemcpyDeviceToHost))},
    {"cudaMemcpy_d2d", ready, CALL(return cudaMemcpy(probe_memory.device, probe_memory.device_too, 64, cudaMemcpyDeviceToDevice))},
    {"cudaMemcpy_h2h", ready, CALL(return cudaMemcpy(probe_memory.pageable, probe_memory.pageable + 64, 64, cudaMemcpyHostToHost))},
    {"cudaMemcpy(0 bytes)", ready, CALL(return cudaMemcpy(probe_memory.device, probe_memory.pageable, 0, cudaMemcpyHostToDevice))},
    {"cudaMemset", ready, CALL(return cudaMemset(probe_memory.device, 0, 64))},
    {"cudaMemset(0 bytes)", ready, CALL(return cudaMemset(probe_memory.device, 0, 0))},
    {"cudaMemcpy2D", ready, CALL(return cudaMemcpy2D(probe_memory.device, 64, probe_memory.pageable, 64, 32, 2, cudaMemcpyHostToDevice))},
    {"cudaStreamCreate", ready, CALL(cudaStream_t v; return cudaStreamCreate(&v))},
    {"cudaStreamCreateNonBlocking", ready, CALL(cudaStream_t v; return cudaStreamCreateWithFlags(&v, cudaStreamNonBlocking))},
    {"cudaStreamCreateWithPriority", ready, CALL(cudaStream_t v; return cudaStreamCreateWithPriority(&v, cudaStreamNonBlocking, -1))},
    {"cudaStreamDestroy(other)", ready, CALL(return cudaStreamDestroy(s.destroyable))},
    {"cudaEventCreate", ready, CALL(cudaEvent_t v; return cudaEventCreate(&v))},
    {"cudaEventDestroy", ready, CALL(return cudaEventDestroy(s.destroyable_event))},
    {"cudaEventQuery(uncaptured)", ready, CALL(return cudaEventQuery(s.untimed))},
    {"cudaEventSynchronize(uncaptured)", ready, CALL(return cudaEventSynchronize(s.untimed))},
    {"cudaEventElapsedTime(uncaptured)", ready, CALL(float t; return cudaEventElapsedTime(&t, s.start, s.end))},
    {"cudaDeviceGetDefaultMemPool", ready, CALL(cudaMemPool_t v; return cudaDeviceGetDefaultMemPool(&v, 0))},
    {"cudaMemPoolTrimTo", ready, CALL(cudaMemPool_t v; cudaDeviceGetDefaultMemPool(&v, 0); return cudaMemPoolTrimTo(v, 0))},
    {"cudaMemPoolCreate", ready, CALL(with_pool(s); return s.pool ? 0 : int(cudaGetLastError()))},
    {"cudaMemPoolDestroy", with_pool, CALL(return cudaMemPoolDestroy(s.pool))},
    {"cudaMemPoolGetAttribute", ready, CALL(cudaMemPool_t v; cudaDeviceGetDefaultMemPool(&v, 0); uint64_t n; return cudaMemPoolGetAttribute(v, cudaMemPoolAttrUsedMemCurrent, &n))},
    {"cudaMemPoolSetAttribute", ready, CALL(cudaMemPool_t v; cudaDeviceGetDefaultMemPool(&v, 0); uint64_t n = 0; return cudaMemPoolSetAttribute(v, cudaMemPoolAttrReleaseThreshold, &n))},
    {"cudaDeviceGraphMemTrim", ready, CALL(return cudaDeviceGraphMemTrim(0))},
    {"cudaDeviceGetGraphMemAttribute", ready, CALL(uint64_t n; return cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &n))},
    {"cudaGraphInstantiate(other)", ready, CALL(cudaGraphExec_t v; return cudaGraphInstantiate(&v, s.other_graph, 0))},
    {"cudaGraphExecUpdate", ready, CALL(cudaGraphExecUpdateResultInfo v; return cudaGraphExecUpdate(s.exec, s.other_graph, &v))},
    {"cudaGraphDestroy(other)", ready, CALL(return cudaGraphDestroy(s.destroyable_graph))},
    {"cudaGraphExecDestroy", ready, CALL(return cudaGraphExecDestroy(s.destroyable_exec))},
    {"cudaGraphCreate", ready, CALL(cudaGraph_t v; return cudaGraphCreate(&v, 0))},
    {"cudaGraphClone", ready, CALL(cudaGraph_t v; return cudaGraphClone(&v, s.graph))},
    {"cudaGraphAddEmptyNode", ready, CALL(cudaGraphNode_t v; return cudaGraphAddEmptyNode(&v, s.other_graph, nullptr, 0))},
    {"cudaGraphGetNodes", ready, CALL(size_t n; return cudaGraphGetNodes(s.graph, nullptr, &n))},
    {"cudaUserObjectCreate", ready, CALL(cudaUserObject_t v; return cudaUserObjectCreate(&v, probe_memory.pageable, do_nothing, 1, cudaUserObjectNoDestructorSync))},
    {"cudaProfilerStart", ready, CALL(return cudaProfilerStart())},
    {"cudaProfilerStop", ready, CALL(return cudaProfilerStop())},
    {"cudaIpcGetMemHandle", ready, CALL(cudaIpcMemHandle_t v; return cudaIpcGetMemHandle(&v, probe_memory.device))},
    {"cudaFuncGetAttributes", ready, CALL(cudaFuncAttributes v; return cudaFuncGetAttributes(&v, kernel().symbol))},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", ready, CALL(int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel().symbol, 128, 0))},
    {"cudaCtxResetPersistingL2Cache", ready, CALL(return cudaCtxResetPersistingL2Cache())},
    {"cuModuleLoadData", ready, CALL(CUmodule v; return cuModuleLoadData(&v, KERNEL_SOURCE))},
    {"cuModuleUnload", with_module, CALL(return cuModuleUnload(s.module))},
    {"cuModuleGetFunction", ready, CALL(CUfunction v; return cuModuleGetFunction(&v, kernel().module, "nothing"))},
    {"cuLibraryLoadData", ready, CALL(CUlibrary v; return cuLibraryLoadData(&v, KERNEL_SOURCE, nullptr, nullptr, 0, nullptr, nullptr, 0))},
    {"cuFuncSetAttribute", ready, CALL(CUfunction v; cuModuleGetFunction(&v, kernel().module, "nothing"); return cuFuncSetAttribute(v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024))},
    {"cuMemAlloc", ready, CALL(CUdeviceptr p; return cuMemAlloc(&p, 4096))},
    {"cuMemFree", with_memory, CALL(return cuMemFree(number(s.address)))},
    {"cuMemAllocHost", ready, CALL(void *p; return cuMemAllocHost(&p, 4096))},
    {"cuMemFreeHost", with_host_memory, CALL(return cuMemFreeHost(s.host_address))},
    {"cuMemAllocManaged", ready, CALL(CUdeviceptr p; return cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL))},
    {"cuMemsetD8", ready, CALL(return cuMemsetD8(number(probe_memory.device), 0, 64))},
    {"cuMemcpyHtoD", ready, CALL(return cuMemcpyHtoD(number(probe_memory.device), probe_memory.pageable, 64))},
    {"cuMemcpyDtoH", ready, CALL(return cuMemcpyDtoH(probe_memory.pageable, number(probe_memory.device), 64))},
    {"cuMemCreate", ready, CALL(CUmemAllocationProp p = physical_properties(); CUmemGenericAllocationHandle v; return cuMemCreate(&v, 2 << 20, &p, 0))},
    {"cuMemAddressReserve", ready, CALL(CUdeviceptr v; return cuMemAddressReserve(&v, 2 << 20, 0, 0, 0))},
    {"cuMemMap", with_reserved, CALL(return cuMemMap(s.reserved, 2 << 20, 0, s.physical, 0))},
    {"cuMemSetAccess", with_mapped, CALL(CUmemAccessDesc a = {}; a.location.type = CU_MEM_LOCATION_TYPE_DEVICE; a.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE; return cuMemSetAccess(s.reserved, 2 << 20, &a, 1))},
    {"cuMemUnmap", with_mapped, CALL(return cuMemUnmap(s.reserved, 2 << 20))},
    {"cuMemRelease", with_reserved, CALL(return cuMemRelease(s.physical))},
    {"cuMemAddressFree", with_reserved, CALL(return cuMemAddressFree(s.reserved, 2 << 20))},
    {"cuCtxSynchronize", ready, CALL(return cuCtxSynchronize())},
    {"cuCtxGetCurrent", ready, CALL(CUcontext v; return cuCtxGetCurrent(&v))},
    {"cuMemGetAddressRange", ready, CALL(CUdeviceptr p; size_t n; return cuMemGetAddressRange(&p, &n, number(probe_memory.device)))},
    {"cuDevicePrimaryCtxGetState", ready, CALL(unsigned f; int a; return cuDevicePrimaryCtxGetState(0, &f, &a))},
    {"cuEventQuery(uncaptured)", ready, CALL(return cuEventQuery(s.untimed))},
    {"cuEventSynchronize(uncaptured)", ready, CALL(return cuEventSynchronize(s.untimed))},
};

#undef CALL
#define CALL(...) [](Scene & s, cudaStream_t on)->int { (void)s; __VA_ARGS__; }

const std::vector<StreamCall> STREAM_CALLS = {
    {"cudaStreamSynchronize", ready, CALL(return cudaStreamSynchronize(on))},
    {"cudaStreamQuery", ready, CALL(int code = cudaStreamQuery(on); return code == cudaErrorNotReady ? 0 : code)},
    {"cudaLaunchKernel", ready, CALL(return cudaLaunchKernel(kernel().symbol, dim3(1), dim3(1), nullptr, 0, on))},
    {"cudaLaunchKernel(bad)", ready, CALL(return cudaLaunchKernel(kernel().symbol, dim3(1), dim3(4096), nullptr, 0, on))},
    {"cuLaunchKernel", ready, CALL(return cuLaunchKernel(kernel().function, 1, 1, 1, 1, 1, 1, 0, on, nullptr, nullptr))},
    {"cuLaunchKernel(bad)", ready, CALL(return cuLaunchKernel(kernel().function, 1, 1, 1, 4096, 1, 1, 0, on, nullptr, nullptr))},
    {"cudaLaunchHostFunc", ready, CALL(return cudaLaunchHostFunc(on, do_nothing, nullptr))},
    {"cudaStreamAddCallback", ready, CALL(return cudaStreamAddCallback(on, do_nothing_after, nullptr, 0))},
    {"cudaMemsetAsync", ready, CALL(return cudaMemsetAsync(probe_memory.device, 0, 64, on))},
    {"cudaMemsetAsync(0 bytes)", ready, CALL(return cudaMemsetAsync(probe_memory.device, 0, 0, on))},
    {"cuMemsetD8Async", ready, CALL(return cuMemsetD8Async(number(probe_memory.device), 0, 64, on))},
    {"cudaMemcpyAsync_d2d", ready, CALL(return cudaMemcpyAsync(probe_memory.device, probe_memory.device_too, 64, cudaMemcpyDeviceToDevice, on))},
    {"cudaMemcpyAsync_h2d_pinned", ready, CALL(return cudaMemcpyAsync(probe_memory.device, probe_memory.pinned, 64, cudaMemcpyHostToDevice, on))},
    {"cudaMemcpyAsync_h2d_pageable", ready, CALL(return cudaMemcpyAsync(probe_memory.device, probe_memory.pageable, 64, cudaMemcpyHostToDevice, on))},
    {"cudaMemcpyAsync_d2h_pageable", ready, CALL(return cudaMemcpyAsync(probe_memory.pageable, probe_memory.device, 64, cudaMemcpyDeviceToHost, on))},
    {"cudaMemcpyAsync_h2h", ready, CALL(return cudaMemcpyAsync(probe_memory.pageable, probe_memory.pageable + 64, 64, cudaMemcpyHostToHost, on))},
    {"cudaMemcpy2DAsync_d2d", ready, CALL(return cudaMemcpy2DAsync(probe_memory.device, 64, probe_memory.device_too, 64, 32, 2, cudaMemcpyDeviceToDevice, on))},
    {"cuMemcpyHtoDAsync", ready, CALL(return cuMemcpyHtoDAsync(number(probe_memory.device), probe_memory.pinned, 64, on))},
    {"cudaMallocAsync", ready, CALL(void *p; return cudaMallocAsync(&p, 4096, on))},
    {"cudaFreeAsync", with_async_memory, CALL(return cudaFreeAsync(s.address, on))},
    {"cudaMallocFromPoolAsync", with_pool, CALL(void *p; return cudaMallocFromPoolAsync(&p, 4096, s.pool, on))},
    {"cuStreamWriteValue32", ready, CALL(return cuStreamWriteValue32(on, number(probe_memory.device), 1, 0))},
    {"cudaEventRecord", ready, CALL(return cudaEventRecord(s.untimed, on))},
    {"cudaEventRecord(timing)", ready, CALL(return cudaEventRecord(s.start, on))},
    {"cudaEventRecord(0)", ready, CALL(return cudaEventRecord(nullptr, on))},
    {"cudaEventRecordExternal", ready, CALL(return cudaEventRecordWithFlags(s.untimed, on, cudaEventRecordExternal))},
    {"cudaStreamWaitEvent(uncaptured)", ready, CALL(return cudaStreamWaitEvent(on, s.end, 0))},
    {"cudaStreamWaitEvent(never recorded)", ready, CALL(return cudaStreamWaitEvent(on, s.destroyable_event, 0))},
    {"cudaStreamWaitEvent(0)", ready, CALL(return cudaStreamWaitEvent(on, nullptr, 0))},
    {"cudaStreamWaitEvent(external)", ready, CALL(return cudaStreamWaitEvent(on, s.end, cudaEventWaitExternal))},
    {"cudaGraphLaunch", ready, CALL(return cudaGraphLaunch(s.exec, on))},
    {"cudaGraphUpload", ready, CALL(return cudaGraphUpload(s.exec, on))},
    {"cudaStreamIsCapturing", ready, CALL(cudaStreamCaptureStatus v; return cudaStreamIsCapturing(on, &v))},
    {"cudaStreamGetCaptureInfo", ready, CALL(return capture_info(on).code)},
    {"cudaStreamBeginCapture", ready, CALL(return cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal))},
    {"cuStreamBeginCapture", ready, CALL(return cuStreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_GLOBAL))},
    {"cudaStreamBeginCaptureToGraph", ready, CALL(return cudaStreamBeginCaptureToGraph(on, s.other_graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal))},
    {"cudaStreamUpdateCaptureDependencies", ready, CALL(return update_dependencies(on, {}, cudaStreamAddCaptureDependencies))},
    {"cudaStreamEndCapture", ready, CALL(cudaGraph_t v; return cudaStreamEndCapture(on, &v))},
    {"cudaStreamGetPriority", ready, CALL(int v; return cudaStreamGetPriority(on, &v))},
    {"cudaStreamGetFlags", ready, CALL(unsigned v; return cudaStreamGetFlags(on, &v))},
    {"cudaStreamGetId", ready, CALL(unsigned long long v; return cudaStreamGetId(on, &v))},
    {"cudaStreamCopyAttributes", ready, CALL(return cudaStreamCopyAttributes(on, s.destroyable))},
    {"cudaMemPrefetchAsync", with_managed_memory, CALL(return prefetch(s.managed, 4096, on))},
    {"cudaStreamAttachMemAsync", with_managed_memory, CALL(return cudaStreamAttachMemAsync(on, s.managed, 0, cudaMemAttachGlobal))},
};
