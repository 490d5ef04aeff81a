export { isServiceModel, SERVICE_MODELS } from '@klaus/core/service-models';
