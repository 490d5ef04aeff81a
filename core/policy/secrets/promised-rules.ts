import type { SecretRule } from './secret-rule.ts';

/** The ten patterns that Klaus promises to catch, in files, in outputs and in what is committed. */
export const PROMISED_RULES: readonly SecretRule[] = [
  { name: 'aws-access-key', pattern: '(?<value>AKIA[0-9A-Z]{16})', keywords: ['akia'] },
  {
    name: 'aws-secret-key',
    pattern: String.raw`aws_secret_access_key\s*=\s*(?<value>[^\s]+)`,
    flags: 'i',
    keywords: ['aws_secret_access_key'],
  },
  {
    name: 'api-key',
    pattern: String.raw`api[_-]?key\s*[=:]\s*["']?(?<value>[a-zA-Z0-9_-]{20,})`,
    flags: 'i',
    keywords: ['apikey', 'api_key', 'api-key'],
  },
  {
    name: 'private-key',
    pattern: String.raw`(?<value>-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----(?:[\s\S]*?-----END (?:RSA |EC |OPENSSH )?PRIVATE KEY-----|[\s\S]*$))`,
    keywords: ['private key-----'],
  },
  { name: 'anthropic-key', pattern: String.raw`(?<value>sk-ant-[a-zA-Z0-9\-_]{32,})`, keywords: ['sk-ant-'] },
  {
    name: 'github-token',
    pattern: '(?<value>gh[pousr]_[A-Za-z0-9_]{36})',
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
  },
  {
    name: 'netlify-token',
    pattern: String.raw`netlify[_-]?token\s*[=:]\s*["']?(?<value>[a-zA-Z0-9_-]{20,})`,
    flags: 'i',
    keywords: ['netlify'],
  },
  {
    name: 'generic-secret',
    pattern: String.raw`secret\s*[=:]\s*["']?(?<value>[a-zA-Z0-9_-]{16,})`,
    flags: 'i',
    keywords: ['secret'],
  },
  {
    name: 'database-url',
    pattern: String.raw`(?:postgres|mysql|mongodb):\/\/[^@\s:/]{0,256}:(?<value>[^@\s]{1,512})@`,
    keywords: ['postgres://', 'mysql://', 'mongodb://'],
  },
  {
    name: 'bearer-token',
    pattern: String.raw`bearer\s+(?<value>[a-zA-Z0-9\-_.]{20,})`,
    flags: 'i',
    keywords: ['bearer'],
  },
];
