export { quoteShellWord, singleQuote } from '@klaus/core/shell-quote';
