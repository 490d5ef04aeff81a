/** The ways to show a file. */
export type FileView = 'source' | 'table' | 'tree' | 'preview' | 'page' | 'image';

const VIEWS: readonly { names: RegExp; views: readonly FileView[] }[] = [
  { names: /\.(?:csv|tsv|tab)$/i, views: ['table', 'source'] },
  { names: /\.(?:json|geojson|webmanifest|ipynb)$/i, views: ['tree', 'source'] },
  { names: /\.(?:md|markdown|mdown)$/i, views: ['preview', 'source'] },
  { names: /\.html?$/i, views: ['source', 'page'] },
  { names: /\.svg$/i, views: ['image', 'source'] },
];

/** The ways to show a text file, the usual one first. */
export function toViews(path: string): readonly FileView[] {
  return VIEWS.find(({ names }) => names.test(path))?.views ?? ['source'];
}

/** True for a name of an image that the server shows. */
export function isImagePath(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(path);
}

export function isPdfPath(path: string): boolean {
  return /\.pdf$/i.test(path);
}
