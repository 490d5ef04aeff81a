export { createSchemaPatterns, describeUnchecked } from '@klaus/core/linear-pattern';
