/** One figure, beside that of a bare program in the same run where there is one. */
export interface Row {
  name: string;
  value: number;
  unit: Unit;
  /** The same quantity without Klaus, and how it was measured. */
  bare?: { value: number; what: string };
  /** What it may be at most. */
  most?: Bar;
  /** What it has to be at least, in the same way. */
  least?: Bar;
}

/** In the figure's own unit, or `times` the bare figure. */
export type Bar = number | { times: number };

export type Unit =
  | 'ms'
  | 'MB'
  | 'KB'
  | 'bytes'
  | 'nodes'
  | 'MB/s'
  | 'events/s'
  | 'wakes/s'
  | 'runs/s'
  | 'processes'
  | 'events'
  | 'tools'
  | 'clears'
  | 'points'
  | '%';

/** A benchmark that this machine cannot run. */
export interface Skipped {
  name: string;
  /** Why. */
  skipped: string;
}

export interface Benchmark {
  /** What is typed after `npm run bench --`. */
  readonly name: string;
  /** @param options.quick Fewer rounds and shorter sessions: shows that everything works, and rough figures. */
  run(options: { quick: boolean }): Promise<(Row | Skipped)[]>;
}
