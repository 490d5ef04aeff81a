/** True if the device is used by touch. A machine without a mouse has no pointer, and a keyboard. */
export function isTouched(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}
