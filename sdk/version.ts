/** Version of Klaus. A test compares it with package.json; reading that file here would delay the start. */
export const VERSION = '0.1.0';
