/** Replaces the home folder of the user, and those of others, by `~`. */
export function createShortener(home: string): (text: string) => string {
  const own = home.length > 1 ? home.replace(/[/\\]+$/, '') : undefined;
  return (text) => {
    const short = own === undefined ? text : text.replaceAll(own, '~');
    return short.replaceAll(/(?<![\w.~-])(?:\/home\/|\/Users\/|[A-Z]:\\Users\\)[^/\\\s"'`<>:]+/g, '~');
  };
}
