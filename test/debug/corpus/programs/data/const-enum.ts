// Fault: describe status 3
const NAMES = ['new', 'open', 'closed'] as const;
function describe(status: number): string {
  const name = NAMES[status];
  return name!.toUpperCase();
}
[0, 2, 3].map((status) => describe(status));
