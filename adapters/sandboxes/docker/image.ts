/** Contains Node. A project with other needs uses an image of its own. */
export const DEFAULT_IMAGE = 'node:24-slim';

/** Explains that an image is missing. Klaus does not download images. */
export function toMissingImage(image: string): { reason: string; fix: string } {
  return { reason: `the image ${image} is not on this machine`, fix: `Type: docker pull ${image}` };
}
