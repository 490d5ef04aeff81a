import type { ImagePart } from '@klaus/sdk';
import { getImageDimensions, type ImageDimensions, toSixelRows } from '../screen/index.ts';
import { toSixelSize, type ImageSpace, type SixelSize } from './sixel-size.ts';

interface Drawing {
  size: SixelSize;
  isDone: boolean;
  /** Undefined before the end, and for an image that cannot be decoded. */
  sixel: string | undefined;
}

/** Draws images as sixel data, one after the other, before they are written. */
export class SixelImages {
  readonly #onDrawn: () => void;
  readonly #dimensions = new WeakMap<ImagePart, ImageDimensions | null>();
  readonly #drawings = new WeakMap<ImagePart, Drawing>();
  #last: Promise<void> = Promise.resolve();

  /** @param onDrawn Called after each image, also one that cannot be drawn. */
  constructor(onDrawn: () => void) {
    this.#onDrawn = onDrawn;
  }

  /** True once each image is drawn for the space or cannot be drawn; false begins to draw. */
  areDrawn(images: readonly ImagePart[], space: ImageSpace): boolean {
    const waiting = images.filter((image) => !this.#isDrawn(image, space));
    return waiting.length === 0;
  }

  /** The lines of a drawn image, which are returned once; undefined for one that cannot be drawn. */
  take(image: ImagePart, indent: number): string[] | undefined {
    const { sixel, size } = this.#drawings.get(image) ?? {};
    this.#drawings.delete(image);
    return sixel === undefined || !size ? undefined : toSixelRows({ sixel, rows: size.rows, indent });
  }

  #isDrawn(image: ImagePart, space: ImageSpace): boolean {
    const dimensions = this.#toDimensions(image);
    const size = dimensions ? toSixelSize(dimensions, space) : undefined;
    if (!size) {
      this.#drawings.delete(image);
      return true;
    }
    const known = this.#drawings.get(image);
    if (known && isSame(known.size, size)) return known.isDone;
    const drawing: Drawing = { size, isDone: false, sixel: undefined };
    this.#drawings.set(image, drawing);
    this.#last = this.#last.then(() => this.#draw(image, drawing));
    return false;
  }

  async #draw(image: ImagePart, drawing: Drawing): Promise<void> {
    // The size has changed since.
    if (this.#drawings.get(image) !== drawing) return;
    try {
      const { drawSixel } = await import('./draw-sixel.ts');
      drawing.sixel = await drawSixel({ ...image, ...drawing.size });
    } catch {
      // No thread can be started, for example because the installed program was replaced: the image stays a line.
    }
    drawing.isDone = true;
    this.#onDrawn();
  }

  #toDimensions(image: ImagePart): ImageDimensions | null {
    let found = this.#dimensions.get(image);
    if (found === undefined) {
      found = getImageDimensions(image.data, image.mediaType);
      this.#dimensions.set(image, found);
    }
    return found;
  }
}

function isSame(one: SixelSize, other: SixelSize): boolean {
  return one.width === other.width && one.height === other.height && one.rows === other.rows;
}
