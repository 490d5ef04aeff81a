export { toProxyEnvironment } from '@klaus/adapters/system';
