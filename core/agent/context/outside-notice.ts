/** How a notice begins that a door wrote between two runs: a replay knows by it that the loop did not say it. */
export const SINCE_BEGIN = 'Since the session began: ';
