#include <cusparse.h>

/// cuSPARSE is not emulated: every call of thinwire's says so.
namespace {

constexpr cusparseStatus_t not_there = CUSPARSE_STATUS_NOT_SUPPORTED;

}  // namespace

cusparseStatus_t cusparseCreate(cusparseHandle_t*) {
  return not_there;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t) {
  return not_there;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t, cudaStream_t) {
  return not_there;
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t*, int64_t, int64_t, int64_t,
                                   void*, void*, void*, cusparseIndexType_t,
                                   cusparseIndexType_t, cusparseIndexBase_t,
                                   cudaDataType) {
  return not_there;
}
cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t*, int64_t, int64_t, int64_t,
                                   int64_t, int64_t, void*, void*, void*,
                                   cusparseIndexType_t, cusparseIndexType_t,
                                   cusparseIndexBase_t, cudaDataType, cusparseOrder_t) {
  return not_there;
}
cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t*, int64_t, int64_t, int64_t,
                                         int64_t, int64_t, void*, void*, void*,
                                         cusparseIndexType_t, cusparseIndexType_t,
                                         cusparseIndexBase_t, cudaDataType) {
  return not_there;
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t) {
  return not_there;
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t*, int64_t, void*,
                                     cudaDataType) {
  return not_there;
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t*, int64_t,
                                          const void*, cudaDataType) {
  return not_there;
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t) {
  return not_there;
}
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, size_t*) {
  return not_there;
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, void*) {
  return not_there;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t, cusparseOperation_t, const void*,
                              cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                              const void*, cusparseDnVecDescr_t, cudaDataType,
                              cusparseSpMVAlg_t, void*) {
  return not_there;
}
const char* cusparseGetErrorString(cusparseStatus_t) {
  return "cuSPARSE is not emulated";
}
