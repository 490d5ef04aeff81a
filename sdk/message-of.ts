export { messageOf } from '@klaus/core/message-of';
