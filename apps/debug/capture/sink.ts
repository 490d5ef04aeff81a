/** Key of the global function that receives the values of a pause, which only code in the process can reach. */
export const SINK = Symbol.for('klendathu.capture');
