/** Names that hold credentials or lead to some. */
const NAMES = [
  /(^|_)(KEY|TOKEN|SECRETS?|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|AUTH|COOKIE)(_|$)/i,
  /(APIKEY|ACCESSKEY|TOKEN|SECRET|PASSWORD)/i,
  /^(AWS|AZURE|GOOGLE|GCP|GCLOUD|CLOUDSDK|ANTHROPIC|OPENAI|OPENROUTER|GITHUB|GITLAB|GH|KLAUS|VAULT)_/i,
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|KUBECONFIG|NETRC|PGPASSFILE|MYSQL_PWD|DOCKER_CONFIG)$/i,
];

/** `scheme://user:password@host` */
const URL_WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** The environment without credentials: by name, and URLs that carry a password whatever their name. */
export function stripCredentials(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || NAMES.some((pattern) => pattern.test(name)) || URL_WITH_PASSWORD.test(value)
        ? []
        : [[name, value] as const],
    ),
  );
}
