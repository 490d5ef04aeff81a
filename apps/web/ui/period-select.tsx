import { useText } from '../text/text.ts';

/** Days; 0 means always. */
const SPANS = [7, 30, 90, 0] as const;
export type Period = (typeof SPANS)[number];

/** A choice of the last days that a page shows. */
export function PeriodSelect(props: { label: string; days: Period; onChange: (days: Period) => void }) {
  const { label, days, onChange } = props;
  const t = useText();
  return (
    <label className="check line">
      <span className="muted">{label}</span>
      <select className="field" value={days} onChange={(event) => onChange(Number(event.target.value) as Period)}>
        {SPANS.map((it) => (
          <option key={it} value={it}>
            {it === 0 ? t.usage.always : t.usage.days(it)}
          </option>
        ))}
      </select>
    </label>
  );
}
