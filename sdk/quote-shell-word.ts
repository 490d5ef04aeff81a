export { quoteShellWord, singleQuote } from '@klaus/core/quote-shell-word';
