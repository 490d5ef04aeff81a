/** Parts of names under which secrets are kept, without separators and in lower case. */
const PARTS =
  /passw(?:or)?d|passphrase|passcode|secret|apikey|accesskey|privatekey|signingkey|encryptionkey|masterkey|sharedkey|authorization|credential|connectionstring|webhookurl|mnemonic|seedphrase|sessionid/;
/** Last words of such names: `authToken`, `AUTH_TOKEN`, `x-auth-token`, but not `bypass`. */
const LAST = new Set('token pwd pin otp jwt dsn bearer sid auth pass csrf xsrf cvv cvc ssn cookie cookies'.split(' '));
/** Names have fewer words; a sentence can be a key, too. */
const WORDS = 6;
const HARMLESS = new Set('PWD OLDPWD nextToken next_token continuationToken isAuth'.split(' '));

/** True for the name of a variable, a property, a header or a parameter whose value is a secret. */
export function isSecretName(name: string): boolean {
  if (name.length > 200) return false;
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== '');
  const lower = words.map((word) => word.toLowerCase());
  if (HARMLESS.has(name) || words.length > WORDS) return false;
  return PARTS.test(lower.join('')) || LAST.has(lower.at(-1) ?? '');
}

/** The working folder, whose variable has the name of a password: `pwd`. */
export function isWorkingFolder(name: string, value: string): boolean {
  return /(?:^|[^a-z])(?:old)?pwd$/i.test(name) && /^(?:[/\\~]|[a-z]:[/\\])/i.test(value);
}
