/** With thousands separators and at most two decimals. Without a locale, because its first use takes 30 ms. */
export function formatCount(count: number): string {
  const [integer = '', fraction] = String(Math.round(count * 100) / 100).split('.');
  const grouped = integer.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
