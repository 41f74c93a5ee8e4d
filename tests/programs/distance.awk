# How far the numbers of two files are apart: awk -f distance.awk FILE OTHER
# Prints the greatest difference, relative to the greatest magnitude in the first file's column (of lines with as many columns).
# Fails where the files differ in anything else.
function is_number(word) { return word ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }

function stop(why) {
    print why
    failed = 1
    exit 1
}

NR == FNR {
    line[FNR] = $0
    lines = FNR
    for (i = 1; i <= NF; ++i) {
        size = $i < 0 ? -$i : $i + 0
        if (is_number($i) && size > scale[NF, i]) scale[NF, i] = size
    }
    next
}

{
    if (split(line[FNR], word) != NF) stop("line " FNR " has another number of words")
    for (i = 1; i <= NF; ++i) {
        if (word[i] == $i) continue
        if (!is_number(word[i]) || !is_number($i)) stop("line " FNR ": " word[i] " and " $i)
        apart = word[i] > $i ? word[i] - $i : $i - word[i]
        if (apart > greatest * scale[NF, i]) greatest = scale[NF, i] > 0 ? apart / scale[NF, i] : apart
    }
}

END {
    if (failed) exit 1
    if (lines == 0) stop("the first file is empty")
    if (FNR != lines) stop(lines " and " FNR " lines")
    printf "%.3g\n", greatest
}
