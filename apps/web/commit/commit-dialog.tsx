export function CommitDialog({ session }: { session: string }) {
  return <p>{session}</p>;
}
