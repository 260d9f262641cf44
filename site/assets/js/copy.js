// Buttons that copy the text of their block. Without scripts they stay hidden: the text can be selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.innerHTML;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const code = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code); // no permission, or not a secure context: leave it selected
      button.textContent = "Selected";
    }
    setTimeout(() => { button.innerHTML = label; }, 1600);
  });
}
