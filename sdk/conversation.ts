export * from '@klaus/core/conversation';
export { toChangedWords, type WordPiece } from '@klaus/core/changed-words';
