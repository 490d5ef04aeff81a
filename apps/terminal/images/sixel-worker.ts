import { parentPort, workerData } from 'node:worker_threads';
import type { SixelJob } from './draw-sixel.ts';
import { encodeSixel } from './encode-sixel.ts';
import { decode, reduce } from './pixels.ts';
import { quantize } from './quantize.ts';

const { data, mediaType, width, height } = workerData as SixelJob;
const image = decode(Buffer.from(data, 'base64'), mediaType);
parentPort!.postMessage(encodeSixel(quantize(reduce(image, width, height))));
