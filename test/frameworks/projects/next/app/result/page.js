export default function Result() {
  return <p>done</p>;
}
