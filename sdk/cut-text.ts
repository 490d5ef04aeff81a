export { cutText, headOf, splitText, tailOf } from '@klaus/core/cut-text';
