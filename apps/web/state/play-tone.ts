/** Two notes, in hertz, and the seconds of each. */
const NOTES = [659.25, 880];
const SECONDS = 0.12;
const VOLUME = 0.08;

/** Plays a short tone. Silent in a browser without sound, and before the user has interacted with the page. */
export function playTone(): void {
  if (!('AudioContext' in globalThis)) return;
  const context = new AudioContext();
  const start = context.currentTime;
  for (const [at, hertz] of NOTES.entries()) {
    const from = start + at * SECONDS;
    const [oscillator, gain] = [context.createOscillator(), context.createGain()];
    oscillator.frequency.value = hertz;
    gain.gain.setValueAtTime(VOLUME, from);
    gain.gain.exponentialRampToValueAtTime(0.001, from + 2 * SECONDS);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(from);
    oscillator.stop(from + 2 * SECONDS);
    if (at === NOTES.length - 1) oscillator.onended = () => void context.close();
  }
}
