/** Has Node and git's usual company; anything else a project needs goes into an image of its own. */
export const DEFAULT_IMAGE = 'node:24-slim';

/** What is said where an image is not on the machine: Klaus downloads none by itself. */
export function toMissingImage(image: string): { reason: string; fix: string } {
  return { reason: `the image ${image} is not on this machine`, fix: `Type: docker pull ${image}` };
}
