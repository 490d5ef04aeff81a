/** Version of Klaus. A test keeps it equal to the one in package.json; reading that file here would cost start-up time. */
export const VERSION = '0.1.0';
