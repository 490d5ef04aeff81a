export { toUlid } from '@klaus/core/ulid';
