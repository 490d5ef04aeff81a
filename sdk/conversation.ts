export * from '@klaus/core/conversation';
