const NODE = 'Node.js, from https://nodejs.org/en/download';

/** How to get each program: a command, or what to install from where. */
const BRING: Readonly<Record<string, string>> = {
  go: 'Go, from https://go.dev/dl',
  cargo: 'Rust, from https://rustup.rs',
  mvn: 'Maven, from https://maven.apache.org/download.cgi',
  gradle: 'Gradle, from https://gradle.org/install',
  npm: NODE,
  pnpm: 'npm install --global pnpm',
  yarn: 'npm install --global yarn',
  bun: 'npm install --global bun',
  uv: 'python3 -m pip install uv (or from https://docs.astral.sh/uv)',
  poetry: 'python3 -m pip install poetry (or from https://python-poetry.org/docs)',
  python3: 'Python 3, from https://www.python.org/downloads (on Debian: apt-get install python3)',
  composer: 'Composer, from https://getcomposer.org/download',
  bundle: 'gem install bundler',
  dotnet: '.NET, from https://dotnet.microsoft.com/download',
};

/** How the user gets a program of a plan. */
export function toProgramSource(program: string): string {
  return BRING[program] ?? program;
}
