/** Characters that one transaction indexes, so that others can write in between. */
export const INDEX_BATCH = 200_000;
/** Records that one transaction reads. */
export const INDEX_RECORDS = 500;
