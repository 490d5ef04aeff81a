import type { CellSize, ImageDimensions } from '../screen/index.ts';
import { BAND } from './encode-sixel.ts';

/** Larger images are not decoded. */
const MAX_PIXELS = 20_000_000;

/** Cells that an image can use, and their size in pixels. */
export interface ImageSpace {
  columns: number;
  rows: number;
  cell: CellSize;
}

/** Pixels of a drawn image, and the rows of cells that it covers. */
export interface SixelSize {
  width: number;
  height: number;
  rows: number;
}

/** The size in which an image is drawn: never enlarged. Undefined if the space or the image does not allow it. */
export function toSixelSize(image: ImageDimensions, { columns, rows, cell }: ImageSpace): SixelSize | undefined {
  const { widthPx, heightPx } = image;
  const pixels = widthPx * heightPx;
  const maxWidth = columns * cell.width;
  // A terminal may draw the last band completely.
  const maxHeight = Math.floor((rows * cell.height) / BAND) * BAND;
  if (pixels < 1 || pixels > MAX_PIXELS || maxWidth < 1 || maxHeight < 1) return undefined;
  const scale = Math.min(1, maxWidth / widthPx, maxHeight / heightPx);
  const width = Math.max(1, Math.round(widthPx * scale));
  const height = Math.max(1, Math.round(heightPx * scale));
  return { width, height, rows: Math.ceil((Math.ceil(height / BAND) * BAND) / cell.height) };
}
