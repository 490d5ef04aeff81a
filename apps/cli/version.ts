export { VERSION } from '@klaus/sdk/version';
