# To be sourced: how long the commands of a script keep processors busy.

# take_cpu_time: sets cpu_time to the CPU seconds of all commands that have ended.
take_cpu_time() {
  cpu_file=$(mktemp)
  times >"$cpu_file"  # in a pipe or $() it would tell of that shell alone
  cpu_time=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$cpu_file")
  rm "$cpu_file"
}

# say_cpu_time: what has been used since take_cpu_time was called last.
say_cpu_time() {
  cpu_before=$cpu_time
  take_cpu_time
  echo "CPU time: $((cpu_time - cpu_before)) s"
}
