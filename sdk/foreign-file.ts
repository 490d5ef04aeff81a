export {
  readForeignFile,
  readForeignFileSync,
  type ForeignFile,
  type ForeignFileOptions,
} from '@klaus/adapters/system';
