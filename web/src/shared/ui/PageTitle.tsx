/** The title of the browser tab. */
export function PageTitle({ title }: { readonly title: string }) {
  return <title>{title === 'Encore' ? title : `${title} – Encore`}</title>;
}
