/** The window in which a change is reviewed: fetched once a question about one is shown, for it will be wanted next. */
export const loadReview = () => import('./review-dialog.tsx');
