// Prints what a command of a sandbox sees mounted, and whether it can change its configuration.
// Arguments: workspace, state folder, session.
import { createSandbox } from '../../create-sandbox.ts';

const [workspace, home, session] = process.argv.slice(2);
const sandbox = await createSandbox({ choice: 'bubblewrap', workspace: workspace!, home: home!, session: session! });
const command = `
cat /proc/self/mountinfo
for name in .npmrc .config .cargo/config.toml .cargo .ssh; do
  echo changed > ~/$name && echo "written $name"
  rm -rf ~/$name && echo "removed $name"
  mv ~/$name ~/other && echo "renamed $name"
done 2>/dev/null
echo fine > ~/.other && cat ~/.other`;
const { stdout, stderr, exitCode } = await sandbox.exec({ command });
process.stdout.write(JSON.stringify({ stdout, stderr, exitCode }));
