/** The mark of Klaus: a K of a gate and what passes it. */
export function BrandMark({ size = 20 }: { size?: number }) {
  return (
    <svg className="brand-mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path d="M10 7v18" stroke="var(--accent-text)" strokeWidth="4" strokeLinecap="round" />
      <path
        d="m23 8-8 8 8 8"
        fill="none"
        stroke="var(--accent-text)"
        strokeWidth="4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
