/** Beginning of a notice that a door appended between two runs. A replay recognizes it. */
export const SINCE_BEGIN = 'Since the session began: ';
