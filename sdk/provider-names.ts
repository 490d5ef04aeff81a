export { PROVIDER_NAMES } from '@klaus/core/provider-table';
