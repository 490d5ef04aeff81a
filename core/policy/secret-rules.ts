/** One kind of secret. `pattern` is global; the named group `value`, where there is one, is the secret itself. */
export interface SecretRule {
  readonly name: string;
  readonly pattern: RegExp;
}

/** The ten patterns that Klaus promises to catch. */
export const SECRET_RULES: readonly SecretRule[] = [
  { name: 'aws-access-key', pattern: /(?<value>AKIA[0-9A-Z]{16})/g },
  { name: 'aws-secret-key', pattern: /aws_secret_access_key\s*=\s*(?<value>[^\s]+)/gi },
  { name: 'api-key', pattern: /api[_-]?key\s*[=:]\s*["']?(?<value>[a-zA-Z0-9_-]{20,})/gi },
  {
    name: 'private-key',
    pattern:
      /(?<value>-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----(?:[\s\S]*?-----END (?:RSA |EC |OPENSSH )?PRIVATE KEY-----|[\s\S]*$))/g,
  },
  { name: 'anthropic-key', pattern: /(?<value>sk-ant-[a-zA-Z0-9\-_]{32,})/g },
  { name: 'github-token', pattern: /(?<value>gh[pousr]_[A-Za-z0-9_]{36})/g },
  { name: 'netlify-token', pattern: /netlify[_-]?token\s*[=:]\s*["']?(?<value>[a-zA-Z0-9_-]{20,})/gi },
  { name: 'generic-secret', pattern: /secret\s*[=:]\s*["']?(?<value>[a-zA-Z0-9_-]{16,})/gi },
  { name: 'database-url', pattern: /(?:postgres|mysql|mongodb):\/\/[^@\s:/]{0,256}:(?<value>[^@\s]{1,512})@/g },
  { name: 'bearer-token', pattern: /bearer\s+(?<value>[a-zA-Z0-9\-_.]{20,})/gi },
];
